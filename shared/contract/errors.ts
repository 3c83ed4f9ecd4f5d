import { z } from 'zod';

/** Every kind of failure a caller can meet, with the HTTP status it travels under (RFC 9110). */
const errorStatus = {
  VALIDATION: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  EMAIL_VERIFICATION_REQUIRED: 403,
  MESSAGE_LIMIT_EXCEEDED: 403,
  STORAGE_LIMIT_EXCEEDED: 403,
  FEATURE_NOT_IN_PLAN: 403,
  REAUTHENTICATION_REQUIRED: 403,
  PASSWORD_CHANGE_REQUIRED: 403,
  /** An administrator has yet to set one up. */
  SECOND_FACTOR_REQUIRED: 403,
  ACCOUNT_CLOSING: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  /** The change was made from another version than the stored one, which comes along as `stored`. */
  CHANGED_ELSEWHERE: 409,
  /** Stored data no longer matches its seal. Retries fail until the operator repairs it. */
  DAMAGED: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorType = keyof typeof errorStatus;

export const errorTypes = Object.keys(errorStatus) as ErrorType[];

/** One fault in the input: its path, and a sentence for the person who typed it. */
export const issueSchema = z.object({ path: z.string(), message: z.string() }).meta({ id: 'Issue' });

export type Issue = z.infer<typeof issueSchema>;

/** The body of every answer that is not a success. */
export const errorBodySchema = z
  .object({
    message: z.string(),
    type: z.enum(errorTypes),
    upgradeRequired: z.boolean().optional(),
    current: z.number().optional(),
    limit: z.number().optional(),
    issues: z.array(issueSchema).optional(),
    /** With `CHANGED_ELSEWHERE`: the stored item, as the route answers it. */
    stored: z.unknown().optional(),
  })
  .meta({ id: 'Error' });

export type ErrorBody = z.infer<typeof errorBodySchema>;

export type ErrorDetails = Omit<ErrorBody, 'message' | 'type'> & {
  /** Whole seconds after which the same call may succeed; sent as `Retry-After`. */
  retryAfterSeconds?: number;
};

/**
 * A failure we expect and can explain. `message` is read by a person; it never holds a secret,
 * a path, SQL or another person's data.
 */
export class AppError extends Error {
  override readonly name = 'AppError';
  readonly type: ErrorType;
  readonly status: number;
  readonly details: ErrorDetails;

  constructor(type: ErrorType, message: string, details: ErrorDetails = {}) {
    super(message);
    this.type = type;
    this.status = errorStatus[type];
    this.details = details;
  }
}

/** Reason of a refusal, as a sentence; null if `require` passes. Other errors are rethrown. */
export function refusalOf(require: () => void): string | null {
  try {
    require();
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** A row that does not exist and a row of another person are answered alike. */
export function notFound(message = 'We could not find that.'): AppError {
  return new AppError('NOT_FOUND', message);
}

/** The page that asked knows by the issue that a sign-in alone is not enough. */
export function secondStepRequired(): AppError {
  const message = 'Your account has a second step, and this device has not passed it yet.';
  return new AppError('REAUTHENTICATION_REQUIRED', message, { issues: [{ path: 'code', message }] });
}
