"""OpenAI's interface: chats with models that translate, completions of language models, and the fields of both."""
