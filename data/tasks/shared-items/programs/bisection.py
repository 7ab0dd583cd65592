from bisect import bisect_left


def shared_items(first, second):
    ordered = sorted(second)
    shared = {}
    for item in first:
        place = bisect_left(ordered, item)
        if place < len(ordered) and ordered[place] == item:
            shared[item] = True
    return list(shared)
