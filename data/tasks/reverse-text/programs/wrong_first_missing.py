def reverse_text(text):
    return text[:0:-1]
