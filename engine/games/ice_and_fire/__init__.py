"""A Code of Ice and Fire: two armies in opposite corners of a 12 by 12 map, for land, gold and the other's corner."""
