def join_words(words):
    line = ""
    for word in words:
        line = line + word + ","
    return line[:-1]
