def join_words(words):
    return "".join(word + "," for word in words)
