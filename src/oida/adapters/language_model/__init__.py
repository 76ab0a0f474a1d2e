"""Language models: any server that speaks the OpenAI protocol, recorded replies, and a script for tests."""
