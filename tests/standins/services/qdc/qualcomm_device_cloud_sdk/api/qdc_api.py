"""The functions of the API; a job has run when `submit_job` returns."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import types
import zipfile
from pathlib import Path
from typing import Any

from qualcomm_device_cloud_sdk.models import (
    ArtifactType,
    JobMode,
    JobSubmissionParameter,
    JobType,
    TestFramework,
)

FOLDER = Path(os.environ["QDC_STAND_IN"])
DEVICE = json.loads((FOLDER / "device.json").read_text(encoding="utf-8"))
TMP = Path(DEVICE["data"], "local/tmp")
CLIENT, JOB = "client", 4212


def get_public_api_client_using_api_key(
    *, api_key_header: str, app_name_header: str, on_behalf_of_header: str, client_type_header: str
) -> str:
    assert api_key_header == "secret"
    assert app_name_header
    assert on_behalf_of_header
    assert client_type_header == "Python"
    return CLIENT


def get_target_id(client: str, chip: str) -> int | None:
    assert client == CLIENT
    return 7 if chip == DEVICE["chip"] else None


def upload_file(client: str, path: str, kind: ArtifactType) -> str:
    assert client == CLIENT
    assert kind is ArtifactType.TESTSCRIPT
    shutil.copy(path, FOLDER / "artifact.zip")
    return "artifact-1"


def submit_job(
    *,
    public_api_client: str,
    target_id: int | None,
    job_name: str,
    external_job_id: str | None,
    job_type: JobType,
    job_mode: JobMode,
    timeout: int,
    test_framework: TestFramework,
    entry_script: str | None,
    job_artifacts: list[str],
    monkey_events: int | None,
    monkey_session_timeout: int | None,
    job_parameters: list[JobSubmissionParameter],
) -> int | None:
    assert (public_api_client, external_job_id) == (CLIENT, None)
    assert (monkey_events, monkey_session_timeout) == (None, None)
    assert job_type is JobType.AUTOMATED
    assert job_mode is JobMode.APPLICATION
    assert len(job_name) <= 32
    assert timeout >= 1  # minutes
    assert job_artifacts == ["artifact-1"]
    assert job_parameters == [JobSubmissionParameter.WIFIENABLED]
    if target_id is None:
        return None
    environment = {**DEVICE["environment"]}
    if test_framework is TestFramework.BASH:
        place = TMP / "TestContent"
        command = [*DEVICE["command"], *shlex.split(entry_script or "")]
    else:
        assert entry_script is None
        place = FOLDER / "artifact"  # /qdc/appium of the computer beside the phone
        environment = {**os.environ, **environment}
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "tests"]
    # The standard library loses the modes of files, as other programs do.
    with zipfile.ZipFile(FOLDER / "artifact.zip") as archive:
        archive.extractall(place)
    with (FOLDER / "job.log").open("wb") as log:
        subprocess.run(
            command, cwd=place, env=environment, stdout=log, stderr=subprocess.STDOUT, check=False
        )
    return JOB


def get_job_status(client: str, job: int) -> str:
    assert (client, job) == (CLIENT, JOB)
    return "Completed"


def get_job_log_upload_status(client: str, job: int) -> str:
    assert (client, job) == (CLIENT, JOB)
    return "Completed"


def get_job_log_files(client: str, job: int) -> list[Any]:
    assert (client, job) == (CLIENT, JOB)
    return [types.SimpleNamespace(filename="QDC_logs"), types.SimpleNamespace(filename="host")]


def download_job_log_files(client: str, name: str, path: str) -> None:
    assert client == CLIENT
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        if name == "host":
            archive.write(FOLDER / "job.log", "qdc_kernel_host-000.log")
            return
        logs = TMP / "QDC_logs"
        for file in sorted(logs.rglob("*")):
            archive.write(file, f"QDC_logs/{file.relative_to(logs)}")
