def shared_items(first, second):
    wanted = set(second)
    return [item for item in first if item in wanted]
