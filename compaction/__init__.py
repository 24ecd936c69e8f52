"""Pure functions over histories: the view that is sent, and the layers that keep it small."""
