"""From a query and a budget to documents, in order, and the reasons."""
