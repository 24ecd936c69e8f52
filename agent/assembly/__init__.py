"""How an agent, main or sub, is put together: what it is made from, what its session has for life, the parts."""
