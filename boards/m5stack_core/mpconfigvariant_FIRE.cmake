list(APPEND SDKCONFIG_DEFAULTS
    boards/sdkconfig.spiram
)

list(APPEND MICROPY_DEF_BOARD
    MICROPY_HW_BOARD_NAME="M5Stack Fire"
)
