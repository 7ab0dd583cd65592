from collections import Counter


def count_letter(text, letter):
    return Counter(text)[letter]
