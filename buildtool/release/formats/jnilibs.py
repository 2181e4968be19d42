"""`.aar`: a library for Android apps, with the host libraries and the skels of a release.

Android extracts lib*.so of an app into one directory.  Skels lie there too if each has a name of
its own.  If two archs have skels of the same name, all skels are assets, which the app copies to a
directory of its own.  Source: Android Developers, "AAR file anatomy"; Android Tools, "AAR Format".

A text in an `.aar` says how an app uses it.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path

from buildtool.release.formats.entries import FormatError, Package, PackageEntry, write_zip

JNI = "jni/arm64-v8a"
ASSETS = "assets/dsp"
_LIBRARY = r"lib[^/]*\.so"
_MANIFEST = """\
<?xml version="1.0" encoding="utf-8"?>
<manifest xmlns:android="http://schemas.android.com/apk/res/android" package="{package}">
    <uses-sdk android:minSdkVersion="{api}"/>
    <application>
        <uses-native-library android:name="libcdsprpc.so" android:required="false"/>
    </application>
</manifest>
"""
_JAR_MANIFEST = PackageEntry("META-INF/MANIFEST.MF", 0o644, b"Manifest-Version: 1.0\r\n\r\n")


def write(package: Package, path: Path) -> None:
    """Write the archive.  Raises `OSError`, and `FormatError` for libraries that Android would not
    install."""
    host = _host_libraries(package)
    skels = {
        entry: tuple(entry.path.split("/")[1:])
        for entry in package.entries
        if re.fullmatch(r"dsp/[^/]+/[^/]+", entry.path) and not entry.link
    }
    taken = [posixpath.basename(entry.path) for entry in host]
    are_assets = _must_be_assets([*taken, *(place[-1] for place in skels.values())])
    placed = [entry._replace(path=f"{JNI}/{posixpath.basename(entry.path)}") for entry in host]
    for entry, place in skels.items():
        folder = f"{ASSETS}/{place[0]}" if are_assets else JNI
        placed.append(entry._replace(path=f"{folder}/{place[-1]}"))
    # A valid name of a Java package, and no keyword.
    java_package = f"jnilibs.lib{re.sub(r'[^a-z0-9]', '_', package.name.lower())}"
    manifest = _MANIFEST.format(package=java_package, api=package.api)
    entries = [
        *placed,
        *(entry for entry in package.entries if entry.path.startswith("licenses/")),
        PackageEntry("AndroidManifest.xml", 0o644, manifest.encode()),
        # An AAR must have these, even if the library has neither code nor resources.
        PackageEntry("R.txt", 0o644, b""),
        PackageEntry("classes.jar", 0o644, _jar(package.epoch)),
        PackageEntry("res/", 0o755, b""),
        PackageEntry(
            "README.md", 0o644, readme(package, [e.path for e in placed], are_assets).encode()
        ),
    ]
    write_zip(path, sorted(entries, key=lambda entry: entry.path), package.epoch, "")


def _host_libraries(package: Package) -> list[PackageEntry]:
    """The libraries of lib/.  Raises `FormatError` for one that Android would not install."""
    found = []
    for entry in package.entries:
        top, _, name = entry.path.partition("/")
        if top != "lib" or ".so" not in posixpath.basename(name):
            continue
        if entry.link or not re.fullmatch(_LIBRARY, name):
            raise FormatError(
                f"an Android app cannot have the library {entry.path}",
                why="Android installs files called lib*.so, all in one directory, and no links",
                remedy="Build it without VERSION and SOVERSION, and install it to lib/.",
            )
        found.append(entry)
    return found


def _must_be_assets(names: Iterable[str]) -> bool:
    names = [*names]
    return len({*names}) < len(names) or not all(re.fullmatch(_LIBRARY, name) for name in names)


def _jar(epoch: int) -> bytes:
    """A JAR without classes."""
    out = BytesIO()
    write_zip(out, [_JAR_MANIFEST], epoch, "")
    return out.getvalue()


_HEAD = """\
# {name} {version} for Android

{description}{contents}
Programs of the release are not in here: Android starts only what is called lib*.so.

Add the file to the app's `libs` directory and to its `build.gradle.kts`. The app needs API level
{api} and `compileSdk` 31 or newer:

```kotlin
dependencies {{
    implementation(files("libs/{stem}.aar"))
}}
```

The manifest of this library has `<uses-native-library android:name="libcdsprpc.so"
android:required="false"/>`, which the app's manifest gets from it. Without it Android hides the
device's FastRPC library. The app runs on devices that have none, too; there the library cannot be
loaded.

"""
_NO_SKELS = "It has no skels, so there is nothing more to do.\n"
_PATH = """\
FastRPC searches for skels in the directories of `ADSP_LIBRARY_PATH`, which are separated by `;` and
not by `:`. It does not search in the app. Set the variable before the first library is loaded;
`DSP_LIBRARY_PATH` would replace it.

"""
_BESIDE = """\
## Where the skels are

The skels lie beside the host libraries, in the directory into which Android extracts the app's
native libraries. Android extracts them only if the app asks for it, and the app's build must not
strip the skels, since they are for another processor:

```kotlin
android {
    packaging {
        jniLibs {
            useLegacyPackaging = true
            keepDebugSymbols += setOf(%(skels)s)
        }
    }
}
```

```kotlin
import android.system.Os

Os.unsetenv("DSP_LIBRARY_PATH")
Os.setenv("ADSP_LIBRARY_PATH", context.applicationInfo.nativeLibraryDir, true)
```

To search in more directories: `"${context.applicationInfo.nativeLibraryDir};$other"`.

Checks for pages of 16 KiB may name the skels, whose segments are aligned to 4 KiB as the DSP asks.
Only the ARM64 libraries have to fit pages of 16 KiB.
"""
_ASSETS = """\
## Where the skels are

Android extracts all native libraries of an app into one directory, and only files called `lib*.so`.
This library has files of the same name for several archs, or files of other names, so they are
assets in `dsp/<arch>/`. The app copies those of its device's arch to a directory of its own:

```kotlin
import android.content.Context
import android.system.Os
import java.io.File

/** Copies the skels of [arch], and lets FastRPC find them. */
fun prepareSkels(context: Context, arch: String) {
    val version = context.packageManager.getPackageInfo(context.packageName, 0).lastUpdateTime
    val directory = File(context.noBackupFilesDir, "dsp-$version/$arch")
    if (!directory.isDirectory) {
        val fresh = File(context.noBackupFilesDir, "dsp-$version/$arch.new")
        fresh.deleteRecursively()
        fresh.mkdirs()
        for (name in context.assets.list("dsp/$arch")!!) {
            context.assets.open("dsp/$arch/$name").use { input ->
                File(fresh, name).outputStream().use { input.copyTo(it) }
            }
        }
        fresh.renameTo(directory)
    }
    Os.unsetenv("DSP_LIBRARY_PATH")
    val path = "$directory;${context.applicationInfo.nativeLibraryDir}"
    Os.setenv("ADSP_LIBRARY_PATH", path, true)
}
```

The arch is one of: %(archs)s. A DSP loads skels of its own arch and of older ones. FastRPC knows
the DSP's arch: `remote_handle_control(DSPRPC_GET_DSP_INFO, …)` with the attribute ARCH_VER gives a
number whose last byte in hexadecimal digits is the arch. Without it, use `Build.SOC_MODEL`: SM8450
is v69, SM8550 v73, SM8650 v75, SM8750 v79, SM8850 v81.

The host libraries need not be extracted: `useLegacyPackaging` may be false.
"""


def readme(package: Package, libraries: Sequence[str], are_assets: bool) -> str:
    """The text; `libraries` are the paths in the archive of what Android installs, and of skels."""
    description = f"{package.description}\n\n" if package.description else ""
    text = _HEAD.format(
        name=package.name,
        version=package.version,
        api=package.api,
        stem=package.stem,
        description=description,
        contents="".join(f"- `{path}`\n" for path in sorted(libraries)),
    )
    if not package.archs:
        return text + _NO_SKELS
    if are_assets:
        return text + _PATH + _ASSETS % {"archs": ", ".join(package.archs)}
    names = {e.path.rpartition("/")[2] for e in package.entries if e.path.startswith("dsp/")}
    skels = ", ".join(f'"**/{name}"' for name in sorted(names))
    return text + _PATH + _BESIDE % {"skels": skels}
