def join_words(words):
    pieces = []
    for word in words:
        pieces.append(word)
        pieces.append(",")
    return "".join(pieces[:-1])
