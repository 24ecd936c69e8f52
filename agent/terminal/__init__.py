"""The screen: the input and the status bar below, finished output scrolling away above."""
