import type { FastifyInstance, FastifySchemaCompiler } from 'fastify';
import { serializerCompiler } from 'fastify-type-provider-zod';
import { z } from 'zod';
import { AppError, type Issue, notFound } from '#shared/contract/errors.ts';

/** Further issues would not help. */
const issuesMax = 50;
/** Messages for schemas without messages of their own. */
const generic = { missing: 'Required', wrong: 'Invalid input' };

/** Checks and converts all input, and all answers, with the contract's schemas. */
export function setSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
}

export const validatorCompiler: FastifySchemaCompiler<z.ZodType> =
  ({ schema, httpPart }) =>
  (input) => {
    const result = z.safeParse(schema, input, { error: wordsFor });
    if (result.success) return { value: result.data };
    // A path that no row could have is a row that does not exist.
    if (httpPart === 'params') return { error: notFound() };
    return { error: refusal(result.error) };
  };

/** Message for an issue if its schema has none of its own. */
export function wordsFor(issue: { code?: string; input?: unknown }): string {
  return issue.code === 'invalid_type' && issue.input === undefined ? generic.missing : generic.wrong;
}

/** Everything that is wrong with an input, as one error. */
export function refusal(error: z.ZodError): AppError {
  const issues: Issue[] = error.issues
    .slice(0, issuesMax)
    .map(({ path, message }) => ({ path: path.map(String).join('.'), message }));
  const telling = issues.find(({ message }) => message !== generic.missing && message !== generic.wrong);
  return new AppError('VALIDATION', telling?.message ?? 'Something is missing or cannot be read.', { issues });
}
