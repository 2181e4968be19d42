/* families.h: the families of names, in the order in which they are searched.
 *
 * Included with SHELL_FAMILY defined; each line is a file runtime/<family>.c. */
