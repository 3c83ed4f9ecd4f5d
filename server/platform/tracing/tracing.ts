import {
  type Attributes,
  type Context,
  context,
  propagation,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';

/**
 * Spans and their names, by OpenTelemetry's semantic conventions. Without an exporter, each of these costs a call and
 * does nothing.
 */
const tracer = () => trace.getTracer('everkept');

/** The name under which a trace is passed on (W3C Trace Context). */
const carrierName = 'traceparent';

type Work = {
  name: string;
  /** Kinds, counts and outcomes alone: never an address, a name, a token or the text of anything. */
  attributes?: Attributes;
  /** As `currentTrace` gave it where the work was caused; left out, whatever is under way. */
  causedBy?: string | null;
};

/** Runs `work` inside a span. An error's kind is recorded without its message, which may quote a user's text. */
export function inSpan<Result>(
  { name, attributes = {}, causedBy }: Work,
  work: (note: (attributes: Attributes) => void) => Promise<Result>,
): Promise<Result> {
  const parent = causedBy ? propagation.extract(context.active(), { [carrierName]: causedBy }) : context.active();
  return tracer().startActiveSpan(name, { attributes }, parent, async (span) => {
    try {
      return await work((more) => void span.setAttributes(more));
    } catch (error) {
      span.setAttribute('error.type', error instanceof Error ? error.constructor.name : 'unknown');
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Trace in progress, to store with work that is done later; null if nothing is traced. */
export function currentTrace(): string | null {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return carrier[carrierName] ?? null;
}

export type RequestSpan = {
  /** Goes on within the span. */
  run(next: () => void): void;
  end(outcome: { route: string; status: number }): void;
};

/** The span of a request. A visitor’s own word about a trace is not taken. */
export function beginRequest(method: string): RequestSpan {
  const span = tracer().startSpan(method, {
    kind: SpanKind.SERVER,
    attributes: { 'http.request.method': method },
    root: true,
  });
  const within: Context = trace.setSpan(context.active(), span);
  return {
    run: (next) => context.with(within, next),
    end({ route, status }) {
      span.updateName(`${method} ${route}`);
      span.setAttributes({ 'http.route': route, 'http.response.status_code': status });
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}
