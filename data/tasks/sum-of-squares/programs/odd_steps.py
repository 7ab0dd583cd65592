from itertools import accumulate


def sum_of_squares(n):
    # A square is the sum of the odd numbers before it.
    return sum(accumulate(range(1, 2 * n, 2)))
