from math import isqrt


def count_divisors(n):
    root = isqrt(n)
    count = 2 * sum(1 for divisor in range(1, root + 1) if n % divisor == 0)
    return count - 1 if root * root == n else count
