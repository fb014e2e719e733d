"""The English words that a query can do without: function words, question words, and the words of a request.

They are in the index like any other; only a query leaves them out, unless nothing else would be left.
"""

STOP_WORDS = frozenset(
    (
        *("a", "an", "the", "this", "that", "these", "those"),
        *("i", "me", "my", "mine", "myself", "we", "us", "our", "ours", "ourselves"),
        *("you", "your", "yours", "yourself", "yourselves"),
        *("he", "him", "his", "himself", "she", "her", "hers", "herself", "it", "its", "itself"),
        *("they", "them", "their", "theirs", "themselves"),
        *("am", "is", "are", "was", "were", "be", "been", "being", "have", "has", "had", "having"),
        *("do", "does", "did", "doing", "done", "use", "used", "using"),
        *("can", "cannot", "could", "may", "might", "must", "ought", "shall", "should", "will", "would"),
        *("and", "or", "but", "nor", "so", "if", "then", "than", "as"),
        *("because", "while", "until", "although", "though"),
        *("of", "at", "by", "for", "with", "about", "against", "between", "into", "through", "to", "from"),
        *("in", "on", "during", "before", "after", "above", "below", "within", "without"),
        *("here", "there", "all", "any", "both", "each", "few", "more", "most", "other", "some", "such"),
        *("no", "not", "only", "own", "same", "too", "very", "just", "also"),
        *("how", "what", "when", "where", "which", "who", "whom", "whose", "why"),
        *("arent", "cant", "couldnt", "didnt", "doesnt", "dont", "hadnt", "hasnt", "havent", "isnt"),
        *("mightnt", "mustnt", "shant", "shouldnt", "wasnt", "werent", "wont", "wouldnt"),
    )
)
