import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

type Destination = {
  /** Collector's address for OTLP over HTTP, without `/v1/traces`. */
  endpoint: string;
  /** Role of this process within the service. */
  role: string;
};

const exportTimeoutMs = 10_000;

/**
 * Sends traces to a collector (OTLP over HTTP, in JSON), some seconds behind the work. A collector that is away costs the traces of
 * that time and nothing else. Loaded only where one is named.
 */
export function exportTraces({ endpoint, role }: Destination): { close(): Promise<void> } {
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces`, timeoutMillis: exportTimeoutMs });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'everkept', 'service.instance.role': role }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  const manager = new AsyncLocalStorageContextManager();
  context.setGlobalContextManager(manager.enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return {
    async close() {
      await provider.shutdown().catch(() => undefined);
      for (const global of [trace, context, propagation]) global.disable();
    },
  };
}
