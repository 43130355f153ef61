/*
 * Bytes as JSON text and back.  JSON holds Unicode, files and task names hold
 * bytes: each byte that is not part of well-formed UTF-8 becomes one character,
 * U+10FE00 plus the byte, of the last private-use plane.  Where such a character
 * (U+10FE80 … U+10FEFF) is in the bytes itself, its own bytes are escaped too,
 * so that reading gives back exactly what was written.
 */
#ifndef SRC_MACHINE_ESCAPE_H
#define SRC_MACHINE_ESCAPE_H

#include <stddef.h>

/* A new string, to be freed; NULL when out of memory. */
char *rwk_escape_bytes(const char *bytes);
/* The reverse, for well-formed UTF-8. */
char *rwk_unescape_bytes(const char *text);

#endif
