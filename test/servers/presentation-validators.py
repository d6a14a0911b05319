"""Validates manifests and collections, one file a line on standard input: those of version 3 by the
models of iiif-prezi3, which are generated from the Presentation API's JSON schema, those of version 2
by the loader of iiif-prezi. Prints what is wrong; ends with 1 where something is."""

import json
import sys

from iiif_prezi import loader
from iiif_prezi3 import Collection, Manifest

# Expanding JSON-LD would fetch contexts from the web.
loader.jsonld = None

failed = False
for path in sys.stdin.read().splitlines():
    with open(path, encoding="utf-8") as file:
        text = file.read()
    document = json.loads(text)
    try:
        if "@type" in document:
            reader = loader.ManifestReader(text, version="2.1")
            reader.read()
            warnings = reader.get_warnings()
            if warnings:
                raise ValueError("; ".join(warnings))
        else:
            {"Manifest": Manifest, "Collection": Collection}[document["type"]](**document)
        print(f"valid: {path}")
    except Exception as error:
        failed = True
        print(f"{path}: {error}")
sys.exit(1 if failed else 0)
