def shared_items(first, second):
    shared = []
    for item in first:
        if item in second and item not in shared:
            shared.append(item)
    return shared
