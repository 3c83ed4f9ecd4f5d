/** A mail that takes more time to read than a report may have. */
export async function run(): Promise<never> {
  for (;;);
}
