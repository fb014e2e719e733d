"""Quality of ranking on judged collections."""
