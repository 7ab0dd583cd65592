import sys
from collections import Counter

counts = Counter(sys.stdin.read().split())
best = max(counts, key=counts.get)
print(best, counts[best])
