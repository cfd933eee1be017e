"""Defines tools from functions, types, schemas and foreign documents."""
