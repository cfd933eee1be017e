"""Permissions: policy, needs, grants, and the broker that asks people."""
