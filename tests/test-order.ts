import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Test files that take more than a minute, longest first. Vitest starts large files first, and some of these are small: one
 * that starts last makes every other worker wait. The list of slowest files that each run prints shows who belongs here.
 */
export const longest: readonly string[] = [
  'tests/simulation/planted/database-sabotage.proof.test.ts',
  'tests/simulation/simulation.proof.test.ts',
  'tests/surface/links.proof.test.ts',
  'tests/simulation/planted/sabotage.proof.test.ts',
  'server/features/contact-portal/owner-address.proof.test.ts',
  'server/features/redelivery/new-address.test.ts',
  'server/features/keepsake/keepsake.test.ts',
  'server/features/contact-portal/emergency.test.ts',
  'tests/core-lives/mistakes.test.ts',
  'tests/core-lives/lives.test.ts',
];

/** Starts the longest test files first, and the others in Vitest's own order. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((path) => moduleId.endsWith(`/${path}`));
      return at < 0 ? longest.length : at;
    };
    const sorted = await super.sort(files);
    // A worker serves one project, so that files of a project stay together.
    return sorted.toSorted(
      (one, other) => one.project.name.localeCompare(other.project.name) || rankOf(one) - rankOf(other),
    );
  }
}
