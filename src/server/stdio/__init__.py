"""The stdio transport: reads lines, writes ASCII, answers each request once, ends within two seconds."""
