"""The English words that count little in a query: function words, question words, and the words of a request.

They are in the index like any other. A query is ordered by them, but finds nothing by them alone, unless
it holds nothing else.
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

REQUEST_WORDS = frozenset(
    (
        *("please", "pls", "help", "helps", "helping", "need", "needs", "needed", "want", "wants", "wanted"),
        *("explain", "explanation", "show", "tell", "give", "describe", "understand", "know", "learn"),
        *("example", "examples", "hi", "hello", "hey", "thanks", "thank", "dear", "kindly", "sorry"),
        *("someone", "somebody", "anyone", "anybody", "something", "anything", "everything", "things"),
        *("wondering", "wonder", "trying", "try", "tried", "looking", "like", "able", "possible"),
        *("way", "ways", "question", "questions", "let", "lets", "id", "im", "ive", "whats", "hows"),
        *("really", "actually", "basically", "currently", "advance", "appreciate", "guys", "quickly"),
    )
)
"""The words of a request, however its subject is called."""
