"""Events around tools, and who may decide about them."""
