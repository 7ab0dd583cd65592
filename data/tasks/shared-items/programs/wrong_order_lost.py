def shared_items(first, second):
    return sorted(set(first) & set(second))
