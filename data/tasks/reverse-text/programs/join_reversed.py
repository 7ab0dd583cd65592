def reverse_text(text):
    return "".join(reversed(text))
