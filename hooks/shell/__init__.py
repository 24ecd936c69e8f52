"""Shell commands, read: strictly by bash's grammar for what may run, leniently for what must not."""
