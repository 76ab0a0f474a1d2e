"""OpenTelemetry spans of requests, off unless asked for; what was asked and answered is never in them."""

from __future__ import annotations

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor


def send_traces() -> None:
    """Send the process's spans to where the standard environment variables of OpenTelemetry say."""
    provider = TracerProvider(resource=Resource.create({"service.name": "oida"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
