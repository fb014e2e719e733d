"""Speed and memory of a build, beside the tokenizer that no build can do without."""
