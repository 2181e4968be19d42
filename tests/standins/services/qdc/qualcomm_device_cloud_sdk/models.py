"""The values that jobs are submitted with."""

import enum


class ArtifactType(enum.Enum):
    TESTSCRIPT = "TestScript"


class JobType(enum.Enum):
    AUTOMATED = "Automated"


class JobMode(enum.Enum):
    APPLICATION = "Application"


class TestFramework(enum.Enum):
    APPIUM = "Appium"
    BASH = "Bash"


class JobSubmissionParameter(enum.Enum):
    WIFIENABLED = "WifiEnabled"
