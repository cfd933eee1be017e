"""Dated tables of providers and models."""
