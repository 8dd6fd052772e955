"""The folders of a server's models, and what is loaded from them."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from regard.errors import SettingsError
from regard.pipelines.loading import load_with_adapters
from regard.pipelines.pipeline import Pipeline
from regard.pipelines.translator import Translator
from regard.serving.directions import PRIVATE, Direction


@dataclass(frozen=True)
class LoadedModels:
    """The models of a server without their schedulers, so that processes which are forked can share them."""

    translators: Mapping[Direction | None, Translator]
    text_models: Mapping[str, Pipeline]
    name: str = field(default_factory=lambda: secrets.token_hex(8))
    """A name that no other loading has."""


@dataclass(frozen=True)
class ModelFolders:
    """The folders that a server's models are loaded from.

    Args:
        models: folders, each with its direction; one whose direction is None serves all.
        adapters: of these models, by name. A request names one in its target: `de-x-legal`.
    """

    models: Sequence[tuple[Path, Direction | None]]
    adapters: Mapping[str, Path] = field(default_factory=dict)
    device: str = "auto"
    precision: str = "float32"
    engine: str = "auto"

    def load(self) -> LoadedModels:
        """The models that translate, by direction, and text models, by the names of their folders.

        Raises:
            SettingsError: several models that translate, of which one says no direction; or two text models of one name.
        """
        translators: dict[Direction | None, tuple[Path, Translator]] = {}
        text_models: dict[str, Pipeline] = {}
        unused = set(self.adapters)
        for folder, direction in self.models:
            pipeline, with_adapters = load_with_adapters(
                folder, self.adapters, device=self.device, precision=self.precision, engine=self.engine
            )
            unused -= {*with_adapters, *getattr(pipeline, "adapters", ())}
            if isinstance(pipeline, Translator):
                if direction is not None and pipeline.languages is not None:
                    pipeline = pipeline.directed(direction.source, direction.target)
                if translators and None in (direction, *translators):
                    unsaid = folder if direction is None else translators[None][0]
                    raise SettingsError(
                        f"{unsaid} does not say its languages, and there are several models. Write, for example, "
                        f"`en-de={unsaid}`."
                    )
                translators[direction] = folder, pipeline
            elif folder.name in text_models:
                raise SettingsError(f"each model must have a name of its own; got {folder.name} twice.")
            else:
                text_models[folder.name] = pipeline
                text_models |= {f"{folder.name}{PRIVATE}{name}": each for name, each in with_adapters.items()}
        if unused:
            folder = self.adapters[min(unused)]
            raise SettingsError(f"an adapter must belong to one of the models; {folder} belongs to none of them.")
        return LoadedModels({direction: each for direction, (_, each) in translators.items()}, text_models)
