"""Making tools: from functions and their types, from schemas, from foreign documents."""
