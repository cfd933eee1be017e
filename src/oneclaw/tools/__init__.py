"""The tools OneClaw ships: one file per tool or close family, named as the tool."""
