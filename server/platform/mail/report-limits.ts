/** Larger mails are read up to here: a report comes first in them, and the mail that came back follows it. */
export const reportBytesMax = 64 * 1024;
/** Lines of a report. The parser's time grows with their square. */
export const reportLinesMax = 2_000;
/** Parts within parts. A report has two levels, and the mail that came back has a few of its own. */
export const reportDepthMax = 16;
