def shared_items(first, second):
    return sorted(set(first).intersection(second), key=first.index)
