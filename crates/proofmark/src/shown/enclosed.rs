//! Files of builds that go into a bundle, as rows.

use proofmark_capture::Traces;
use proofmark_lab::{EnclosedImage, EnclosedObjects};
use proofmark_report::bundle::{EnclosedCaptureView, EnclosedImageView, TracesView};

/// An image.
pub(crate) fn image(image: &EnclosedImage) -> EnclosedImageView {
    EnclosedImageView {
        build: image.build.clone(),
        name: image.name.clone(),
        digest: image.digest.as_str().to_owned(),
        bytes: image.bytes,
        says: says(&image.traces),
    }
}

/// What a captured build is linked again from.
pub(crate) fn objects(objects: &EnclosedObjects) -> EnclosedCaptureView {
    EnclosedCaptureView {
        build: objects.build.clone(),
        files: objects.files,
        bytes: objects.bytes,
        says: says(&objects.traces),
    }
}

fn says(traces: &Traces) -> TracesView {
    TracesView {
        compiled_in: traces.compiled_in.clone(),
        libraries: traces.libraries.clone(),
        names: traces.names.clone(),
    }
}
