def count_divisors(n):
    count = 1
    factor = 2
    while factor * factor <= n:
        power = 1
        while n % factor == 0:
            n //= factor
            power += 1
        count *= power
        factor += 1
    return 2 * count if n > 1 else count
