"""Permitting a call: policy, needs, grants, and the broker that asks people."""
