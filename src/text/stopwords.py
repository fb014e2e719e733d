"""The English words that a query can do without: function words, question words, and the words of a request.

They are in the index like any other; only a query leaves them out, unless nothing else would be left.
"""

STOP_WORDS = frozenset(
    """
    a an the this that these those
    i me my mine myself we us our ours ourselves you your yours yourself yourselves
    he him his himself she her hers herself it its itself they them their theirs themselves
    am is are was were be been being have has had having do does did doing done
    can cannot could may might must shall should will would ought
    and or but nor so if then than because while until although though as
    of at by for with about against between into through during before after above below
    to from up down in out on off over under again further once upon within without
    here there all any both each few more most other some such no not only own same too very just also
    how what when where which who whom whose why
    cant couldnt didnt doesnt dont hadnt hasnt havent isnt arent wasnt werent mustnt shant shouldnt wont wouldnt
    im ive id youre youve youll theyre theyve theyll weve were well lets thats whats wheres hows whos
    """.split()
)
