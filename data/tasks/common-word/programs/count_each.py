import sys

words = sys.stdin.read().split()
best = words[0]
for word in words:
    if words.count(word) > words.count(best):
        best = word
print(best, words.count(best))
